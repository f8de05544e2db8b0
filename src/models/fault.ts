/** Why a value is none of a kind; `path` leads to the part of it that is not. */
export interface Fault {
  readonly path?: readonly (string | number)[]
  readonly expected: string
  readonly actual: string
}

/** What no type says: the fault of a value, or undefined. Models and generated acceptors use the same ones. */
export type Check<T> = (value: T) => Fault | undefined
