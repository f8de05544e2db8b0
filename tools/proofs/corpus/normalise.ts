import { createHash } from 'node:crypto'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

/** Longer texts keep their beginning and a digest, characters. */
const LONGEST = { question: 400, answer: 2500 }

/** What differs from run to run, each with the word that replaces it. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/(?:\/tmp|\/dev\/shm)(?:\/svc-[\w-]+)+/g, 'folder'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'uuid'],
  [/(?<=\b[a-z]{2,9}_)[0-9a-f]{12,64}\b/g, 'id'],
  [/(?<![\w-])[0-9a-f]{32,64}(?![\w-])/g, 'hash'],
  [/(?<=svc_test_)[0-9a-f_]{8,}/g, 'database'],
  [/(?<=whsec_…?)[\w+/]{4,}/g, 'secret'],
  [/(?<![\w+/])(?=[A-Za-z+/]*\d)(?=[a-z\d+/]*[A-Z])(?=[A-Z\d+/]*[a-z])[A-Za-z\d+/]{40,}={0,2}/g, 'key'],
  [/(?<=127\.0\.0\.1:|localhost:)\d{4,5}/g, 'port'],
]

/** What follows the clock of the machine. */
const TIMES = /\b\d{4}-\d\d-\d\d(?:(?:T| )\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?)?|\b1[6-9]\d{11}\b/g

/**
 * Returns a question and its answer as every run has them: ids, hashes and secrets by the order in which the two name them,
 * numbers to ten digits, times, if they are the machine's, without their values, and paths from the root of the checkout on.
 */
export function normalise(question: string, answer: string, hasTimes: boolean): [string, string] {
  const names = new Map<string, string>()
  const nameOf = (kind: string, text: string): string => {
    const name = names.get(text) ?? `<${kind} ${names.size + 1}>`
    names.set(text, name)
    return name
  }
  const plain = (text: string): string => {
    const rooted = text.replaceAll(ROOT_PATH, '<root>/')
    const timeless = hasTimes ? rooted.replaceAll(TIMES, '<time>') : rooted
    return VARYING.reduce(
      (rest, [pattern, kind]) => rest.replaceAll(pattern, found => nameOf(kind, found)),
      timeless,
    ).replaceAll(/\b\d+\.\d{9,}(?:e-?\d+)?/g, number => String(Number(Number(number).toPrecision(10))))
  }
  return [shortened(plain(question), LONGEST.question), shortened(plain(answer), LONGEST.answer)]
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return `${text.slice(0, most / 4)}… ${text.length} characters, ${digest}`
}
