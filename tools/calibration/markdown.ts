/** A table of GitHub's Markdown; a cell that is undefined is a dash. */
export function table(head: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string {
  const line = (cells: readonly (string | undefined)[]): string =>
    `| ${cells.map(cell => cell ?? '–').join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function percent(share: number, digits = 0): string {
  return (100 * share).toFixed(digits)
}

/** Several shares in one cell. */
export function percents(shares: readonly number[], digits = 0): string {
  return shares.map(share => percent(share, digits)).join(' / ')
}
