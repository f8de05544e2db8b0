/** Bytes or JSON that are no OTLP export; `message` says what is wrong. */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}
