/** Answers to questions that many ask at the same time, each worked out for all of them at once. */
export interface Shared<T> {
  /**
   * The answer to the question `key`, worked out by `answer` after this was called: who asks while it is under way waits
   * for the next one, with all others that do. So no answer is older than its question.
   */
  ask(key: string, answer: () => Promise<T>): Promise<T>
}

export function newShared<T>(): Shared<T> {
  const underWay = new Map<string, Asked<T>>()
  const start = (key: string, answer: () => Promise<T>): Promise<T> => {
    const asked: Asked<T> = { answer: answer(), next: undefined }
    underWay.set(key, asked)
    void forget(key, asked)
    return asked.answer
  }
  const forget = async (key: string, asked: Asked<T>): Promise<void> => {
    await settled(asked.answer)
    if (asked.next === undefined) underWay.delete(key)
  }
  return {
    ask: (key, answer) => {
      const asked = underWay.get(key)
      if (asked === undefined) return start(key, answer)
      return (asked.next ??= settled(asked.answer).then(() => start(key, answer)))
    },
  }
}

interface Asked<T> {
  readonly answer: Promise<T>
  next: Promise<T> | undefined
}

async function settled(promise: Promise<unknown>): Promise<void> {
  await Promise.allSettled([promise])
}
