/** What of a stream is of interest to who counts. Nothing that these throw reaches who reads it. */
export interface Tap<T> {
  /** Each item, before it is handed on. False keeps it back. */
  readonly item: (item: T) => boolean | void
  /** Once: it is at its end, has failed, or is not read any further. */
  readonly end: () => void
}

/** The same items, looked at on their way. */
export async function* tapped<T>(source: AsyncIterable<T>, tap: Tap<T>): AsyncGenerator<T> {
  try {
    for await (const item of source) {
      if (quietly(() => tap.item(item)) !== false) yield item
    }
  } finally {
    quietly(tap.end)
  }
}

/** Runs what must not disturb the program that is recorded. */
export function quietly<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

/** The same object, but for these methods. Its other ones see the object itself, and so its private fields. */
export function withMethods<T extends object>(target: T, methods: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(methods, name)) return methods[name as string]
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
