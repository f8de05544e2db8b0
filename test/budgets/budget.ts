import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

/** By what is counted, then by the ledger; or by the command, then by what is counted. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

/** These may differ by a twentieth; all others are exact. Of a place PostgreSQL once in a while reads six rows less, of 2,014. */
const BOUNDED = /steps|values|bytes|calls|kB|builtins|^rows of place/
/** When a thread answers makes so many calls of functions more or less. */
const FEW_CALLS = 10

/**
 * Compares counts, by the part that they belong to, with those in a file of this folder, which `npm run generate` writes.
 * A count within its bound leaves the number in the file as it is: small steps can't add up to a large one unseen.
 */
export async function expectBudget(name: string, parts: Readonly<Record<string, Counts>>): Promise<void> {
  const file = fileURLToPath(new URL(`${name}.json`, import.meta.url))
  const written: Record<string, Counts> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const changes: string[] = []
  const texts = Object.entries(parts).map(([part, counts]) => {
    const bounds = mapped(counts, (what, numbers) =>
      mapped(numbers, (where, now) => {
        const was = written[part]?.[what]?.[where]
        if (was !== undefined && isWithin(`${what} of ${name} ${where}`, was, now)) return was
        const change =
          was === undefined ? `is new: ${now}` : `${now > was ? 'rose' : 'fell'} from ${was} to ${now}`
        changes.push(`${name}, ${part}: ${what}, ${where}, ${change}`)
        return now
      }),
    )
    return `  ${JSON.stringify(part)}: ${textOf(bounds)}`
  })
  const message = [...changes, 'If that is meant, `npm run generate` writes the new numbers.'].join('\n')
  await expect(`{\n${texts.join(',\n')}\n}\n`, message).toMatchFileSnapshot(file)
}

function mapped<T, U>(
  record: Readonly<Record<string, T>>,
  to: (key: string, value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(key, value)]))
}

function isWithin(name: string, was: number, now: number): boolean {
  if (!BOUNDED.test(name)) return was === now
  const [least, most] = [Math.min(was, now), Math.max(was, now)]
  return most <= Math.max(least * 1.05, name.startsWith('calls') ? least + FEW_CALLS : 0)
}

/** A line for each count, and one that names those that a larger ledger makes larger. */
function textOf(counts: Counts): string {
  const lines = Object.entries(counts).map(([what, numbers]) => {
    const listed = Object.entries(numbers).map(([where, count]) => `${JSON.stringify(where)}: ${count}`)
    return `    ${JSON.stringify(what)}: { ${listed.join(', ')} }`
  })
  const growing = Object.keys(counts).filter(what => {
    const [small = 0, large = 0] = Object.entries(counts[what]!)
      .filter(([where]) => where.endsWith(' a side'))
      .map(([, count]) => count)
    return large > 1.1 * small
  })
  if (growing.length > 0) lines.push(`    "grows with the ledger": ${JSON.stringify(growing)}`)
  return `{\n${lines.join(',\n')}\n  }`
}
