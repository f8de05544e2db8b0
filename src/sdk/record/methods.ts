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
