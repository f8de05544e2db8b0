/** A function whose code is loaded when it is first called, and looked for again where it could not be. */
export function lazily<A extends unknown[], R>(
  load: () => Promise<(...args: A) => Promise<R>>,
): (...args: A) => Promise<R> {
  let loaded: Promise<(...args: A) => Promise<R>> | undefined
  return async function callLoaded(...args) {
    const loading = (loaded ??= load())
    loading.catch(() => (loaded = undefined))
    return (await loading)(...args)
  }
}
