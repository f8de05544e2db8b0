/** How often a test repeats: `short` in `npm test`, `long` in `npm run prove`. */
export function repetitions(short: number, long: number): number {
  return process.env.PROVE === '1' ? long : short
}
