/** Code that is loaded when it is first called. */
export type Lazy<T> = () => Promise<T>

/** A feature as the core knows it. What its parts are is said where the core uses them. */
export interface AnyFeature {
  readonly name: string
}

/** The parts of one kind that the features have, in their order. The list of features says that they are of type T. */
export async function partsOf<T>(features: readonly AnyFeature[], kind: string): Promise<T[]> {
  const loads = features.flatMap(
    feature => ((feature as unknown as Record<string, unknown>)[kind] as Lazy<T> | undefined) ?? [],
  )
  return Promise.all(loads.map(load => load()))
}
