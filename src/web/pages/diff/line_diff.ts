export interface Line {
  readonly kind: 'same' | 'removed' | 'added' | 'gap'
  readonly text: string
}

/** Lines that may differ on each side before they are only told as replaced: the comparison takes their product. */
const MOST_COMPARED = 1500
/** Equal lines that are shown around each change. */
const AROUND = 2

/** What it takes to make the new text of the old one, with a few equal lines around each change. */
export function lineDiff(before: string, after: string): Line[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (
    end < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) {
    end += 1
  }
  const same = (texts: readonly string[]): Line[] => texts.map(text => ({ kind: 'same', text }))
  return folded([
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ])
}

/** By the longest common subsequence of lines. */
function middle(old: readonly string[], now: readonly string[]): Line[] {
  const removed = old.map((text): Line => ({ kind: 'removed', text }))
  const added = now.map((text): Line => ({ kind: 'added', text }))
  if (old.length > MOST_COMPARED || now.length > MOST_COMPARED) return [...removed, ...added]
  const width = now.length + 1
  const common = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i]! })
      i += 1
      j += 1
    } else if (
      j >= now.length ||
      (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push(removed[i]!)
      i += 1
    } else {
      lines.push(added[j]!)
      j += 1
    }
  }
  return lines
}

/** Long runs of equal lines as how many they are. */
function folded(lines: readonly Line[]): Line[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
  const shown: Line[] = []
  for (let index = 0; index < lines.length;) {
    if (isNear[index]) {
      shown.push(lines[index]!)
      index += 1
      continue
    }
    const next = isNear.indexOf(true, index)
    const length = (next < 0 ? lines.length : next) - index
    shown.push({ kind: 'gap', text: `${length} equal ${length === 1 ? 'line' : 'lines'}` })
    index += length
  }
  return shown
}
