/**
 * Keeps what was worked out last of some objects, for as long as the first of them lives: sums are read again and again,
 * and are the same objects until one of them changes. `question` is what else the result depends on.
 */
export function keepingLast<T>(): (of: readonly object[], question: string, work: () => T) => T {
  const kept = new WeakMap<object, { of: readonly object[]; question: string; result: T }>()
  return (of, question, work) => {
    const [first] = of
    if (first === undefined) return work()
    const last = kept.get(first)
    const isSame =
      last?.question === question &&
      last.of.length === of.length &&
      last.of.every((own, index) => own === of[index])
    if (isSame) return last.result
    const result = work()
    kept.set(first, { of, question, result })
    return result
  }
}
