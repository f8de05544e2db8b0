import { afterAll } from 'vitest'

const ends = new Set<() => void>()

/** Has something undone at the end of each test file. A module of support is read once for many files: a hook of its own would be the first file's. */
export function atEndOfFile(end: () => void): void {
  ends.add(end)
}

/** Vitest calls it for each file, by `setup.ts`. */
export function hookEndOfFile(): void {
  afterAll(() => {
    for (const end of ends) end()
  })
}
