const FENCED = /^ *```[^]*?^ *```$/gm
const INDENTED = /^ {4}.*$/gm
const QUOTED = /`[^`]*`/g
const TARGET = /\]\([^)\s]*\)/g

/** How many words of a page of Markdown are to be read: code in blocks and the targets of links are not. */
export function wordsOf(markdown: string): number {
  return countOf(withoutFences(markdown).replaceAll(TARGET, ']').replaceAll('|', ' '))
}

/** How many words a sentence has on average. Tables and headings have none; a word in code counts as one. */
export function wordsPerSentence(markdown: string): number {
  const sentences = withoutFences(markdown)
    .replaceAll(INDENTED, '')
    .replaceAll(/^(?:\||#).*$/gm, '')
    .replaceAll(TARGET, ']')
    .replaceAll(QUOTED, 'code')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|(?<=[.!?]["')*\]]*)\s+/)
    .map(countOf)
    .filter(words => words > 0)
  return sentences.reduce((sum, words) => sum + words, 0) / Math.max(1, sentences.length)
}

export const withoutFences = (markdown: string): string => markdown.replaceAll(FENCED, '')

/** A page without what it quotes as code, line for line, to look for words in. */
export function withoutCode(markdown: string): string {
  const emptied = (code: string): string => code.replaceAll(/[^\n]/g, '')
  return markdown.replaceAll(FENCED, emptied).replaceAll(INDENTED, emptied).replaceAll(QUOTED, emptied)
}

const countOf = (text: string): number => text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0
