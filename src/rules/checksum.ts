/** A file of a release bundle: its POSIX-style path relative to the bundle root, and its bytes. */
export interface BundleFile {
  readonly path: string
  readonly bytes: Uint8Array
}

// A name that is nothing but a suffix, such as `.json`, has none.
const TEXT_SUFFIX = /[^/]\.(?:md|ya?ml|txt|json|csv|toml)$/i
const LEFT_OUT = new Set(['.git', '__pycache__'])
const NUL = Uint8Array.of(0)

/** Whether anything named so, folder or file, is left out of a bundle with all below it. */
export function isLeftOut(name: string): boolean {
  return LEFT_OUT.has(name)
}

/** Code point order of whole paths, which is the byte order of their UTF-8. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  for (const [index, char] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    const order = char.codePointAt(0)! - other.codePointAt(0)!
    if (order !== 0) return order
  }
  return left.length - right.length
}

/**
 * The bytes of one file of the canonical bundle, to be fed to SHA-256 in the order of `comparePaths`
 * (specification, Bundle and checksum).
 */
export function canonicalFile(file: BundleFile): Uint8Array[] {
  return [new TextEncoder().encode(file.path), NUL, canonicalBytes(file), NUL]
}

/** Text with LF line ends. Other files, and text that isn't valid UTF-8, as they are. */
function canonicalBytes({ path, bytes }: BundleFile): Uint8Array {
  if (!TEXT_SUFFIX.test(path)) return bytes
  const text = decode(bytes)
  return text === undefined ? bytes : new TextEncoder().encode(text.replaceAll(/\r\n?/g, '\n'))
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
