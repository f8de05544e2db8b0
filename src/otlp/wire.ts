/** Bytes or JSON that are no OTLP export; `message` says what is wrong. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5]

/** Bytes up to which a text is looked at one by one. */
const SHORT = 64

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the fields of one protobuf message, and never a byte behind its end: what is cut off throws Malformed. After
 * `next` has said which field comes, one of the others takes its value.
 */
export class Message {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #end: number
  #at: number
  #type = VARINT

  constructor(bytes: Uint8Array, start = 0, end = bytes.length, view = viewOf(bytes)) {
    this.#bytes = bytes
    this.#view = view
    this.#at = start
    this.#end = end
  }

  /** The number of the next field; 0 at the end. */
  next(): number {
    if (this.#at >= this.#end) return 0
    const tag = this.#varint()
    this.#type = tag & 7
    const field = Math.floor(tag / 8)
    if (field === 0 || field > 536_870_911) throw new Malformed('a protobuf field has no valid number')
    return field
  }

  skip(): void {
    if (this.#type === VARINT) this.#varint()
    else if (this.#type === FIXED64) this.#take(8)
    else if (this.#type === FIXED32) this.#take(4)
    else this.#span()
  }

  message(): Message {
    const start = this.#span()
    return new Message(this.#bytes, start, this.#at, this.#view)
  }

  text(): string {
    const start = this.#span()
    const plain = this.#at - start <= SHORT ? this.#ascii(start) : undefined
    if (plain !== undefined) return plain
    try {
      return decoder.decode(this.#bytes.subarray(start, this.#at))
    } catch (error) {
      throw error instanceof Malformed ? error : new Malformed('a protobuf text is not valid UTF-8')
    }
  }

  bytes(): Uint8Array {
    const start = this.#span()
    return this.#bytes.subarray(start, this.#at)
  }

  /** A whole number, exact up to 2^53; any that is negative is -1. */
  integer(): number {
    this.#expect(VARINT)
    const value = this.#varint()
    return value >= 2 ** 63 ? -1 : value
  }

  /** A time, nanoseconds since 1970. */
  nanoseconds(): bigint {
    this.#expect(FIXED64)
    return this.#view.getBigUint64(this.#take(8), true)
  }

  double(): number {
    this.#expect(FIXED64)
    return this.#view.getFloat64(this.#take(8), true)
  }

  fixed32(): number {
    this.#expect(FIXED32)
    return this.#view.getUint32(this.#take(4), true)
  }

  /** Names and ids are short and plain, for which a decoder takes several times as long. */
  #ascii(start: number): string | undefined {
    let text = ''
    for (let at = start; at < this.#at; at++) {
      const byte = this.#bytes[at]!
      if (byte > 127) return undefined
      text += String.fromCharCode(byte)
    }
    return text
  }

  #varint(): number {
    const first = this.#at < this.#end ? this.#bytes[this.#at]! : 128
    if (first < 128) {
      this.#at += 1
      return first
    }
    let value = 0
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.#bytes[this.#take(1)]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw new Malformed('a protobuf number is longer than 64 bits')
  }

  /** Where the value begins; it ends where the next field does. */
  #span(): number {
    this.#expect(LENGTH)
    return this.#take(this.#varint())
  }

  #take(length: number): number {
    const start = this.#at
    if (length > this.#end - start) throw new Malformed('the protobuf message is cut off')
    this.#at = start + length
    return start
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new Malformed('a protobuf field is of the wrong type')
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
