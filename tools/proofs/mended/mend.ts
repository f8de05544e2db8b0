/** A defect that was mended, the test that guards it, and the edits that bring it back. */
export interface Mend {
  /** The item it belongs to, as the table prints it: `A1`. */
  readonly item: string
  /** The defect in one sentence. */
  readonly defect: string
  /** Where the test is: a part of the file's path, and a part of the test's name. */
  readonly test: { readonly file: string; readonly name: string }
  /** Undoes the mend: in each file, `find` occurs once and is replaced. */
  readonly undo: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
}

/** The text of a file with the mend undone. Throws where `find` doesn't occur exactly once. */
export function undone(text: string, { file, find, replace }: Mend['undo'][number]): string {
  const parts = text.split(find)
  if (parts.length !== 2) {
    throw new Error(`${file}: the text to undo occurs ${parts.length - 1} times, once is wanted: ${find}`)
  }
  return parts.join(replace)
}
