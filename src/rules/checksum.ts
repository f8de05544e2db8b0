/** Most bytes of text that is kept of a release. */
export const MOST_STORED_BYTES = 1_000_000

// A name that is nothing but a suffix, such as `.json`, has none.
const TEXT_SUFFIX = /[^/]\.(?:md|ya?ml|txt|json|csv|toml)$/i
const LEFT_OUT = new Set(['.git', '__pycache__'])

/** Whether anything named so, folder or file, is left out of a bundle with all below it. */
export function isLeftOut(name: string): boolean {
  return LEFT_OUT.has(name)
}

/** Whether a file is read as text, by its path (specification, Bundle and checksum). */
export function isTextPath(path: string): boolean {
  return TEXT_SUFFIX.test(path)
}

/** A text as it is hashed, with LF line ends, from its bytes part by part. */
export class CanonicalText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #isValid = true
  #isAfterCr = false

  /** The next bytes with LF line ends. */
  next(bytes: Uint8Array): Uint8Array {
    this.#check(bytes)
    if (!this.#isAfterCr && !bytes.includes(CR)) return bytes
    const normal = new Uint8Array(bytes.length)
    let length = 0
    for (const byte of bytes) {
      const isSecond = this.#isAfterCr && byte === LF
      this.#isAfterCr = byte === CR
      if (!isSecond) normal[length++] = this.#isAfterCr ? LF : byte
    }
    return normal.subarray(0, length)
  }

  /** Whether all of it was valid UTF-8; a file that is not is hashed as it is. */
  end(): boolean {
    this.#check()
    return this.#isValid
  }

  #check(bytes?: Uint8Array): void {
    try {
      if (this.#isValid) this.#decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      this.#isValid = false
    }
  }
}

const [CR, LF] = [0x0d, 0x0a]
