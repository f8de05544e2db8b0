/** How much a test does: `short` in `npm test`, `long` in `npm run prove`. */
export function scaled<T>(short: T, long: T): T {
  return process.env.PROVE === '1' ? long : short
}
