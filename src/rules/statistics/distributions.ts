import { incompleteBeta, logBetaKernel } from './special.ts'

const SQRT_2PI = Math.sqrt(2 * Math.PI)

/** Φ(z): how likely a standard normal value is below z. */
export function normalCdf(z: number): number {
  return z > 0 ? 1 - normalTail(z) : normalTail(-z)
}

/** 1 − Φ(z): a Taylor series (Marsaglia 2004), and far out a continued fraction (DLMF 7.9.1). */
function normalTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / SQRT_2PI
  if (z > 3) {
    let fraction = z
    for (let i = 150; i > 0; i--) fraction = z + i / fraction
    return density / fraction
  }
  let [sum, term] = [z, z]
  for (let i = 3; i < 200 && sum + term !== sum; i += 2) {
    term *= (z * z) / i
    sum += term
  }
  return 0.5 - density * sum
}

/** z with Φ(z) = p, 0 < p < 1: Abramowitz & Stegun 26.2.23, polished by Halley's method. */
export function normalQuantile(p: number): number {
  return p > 0.5 ? normalUpper(1 - p) : -normalUpper(p)
}

/** z with 1 − Φ(z) = tail, for a tail of at most a half. */
function normalUpper(tail: number): number {
  if (tail === 0.5) return 0
  const t = Math.sqrt(-2 * Math.log(tail))
  let z =
    t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
  for (let i = 0; i < 3; i++) {
    const step = ((normalTail(z) - tail) * SQRT_2PI) / Math.exp((-z * z) / 2)
    z += step / (1 + (z * step) / 2)
  }
  return z
}

/** How likely Student's t with `df` > 0 degrees of freedom, which need not be whole, is below t. */
export function studentCdf(t: number, df: number): number {
  const tail = studentTail(Math.abs(t), df)
  return t > 0 ? 1 - tail : tail
}

/** DLMF 8.17.5 with Abramowitz & Stegun 26.7.1. */
function studentTail(t: number, df: number): number {
  const square = t * t
  return incompleteBeta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2
}

/** t with P(T < t) = p, 0 < p < 1, of Student's t with `df` > 0 degrees of freedom, which need not be whole. */
export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0
  return p > 0.5 ? studentUpper(1 - p, df) : -studentUpper(p, df)
}

/** From here on the expansion alone is right to 1e-12. */
const NEARLY_NORMAL = 5000

function studentUpper(tail: number, df: number): number {
  const z = Math.max(normalUpper(tail), Number.MIN_VALUE)
  const start = Math.max(z, cornishFisher(z, df))
  if (df >= NEARLY_NORMAL) return start
  // On both logarithms the tail is nearly straight, so that Newton's method holds even for the heaviest.
  let [low, high] = [-700, 700]
  let u = Math.log(start)
  for (let i = 0; i < 200; i++) {
    const t = Math.exp(u)
    const reached = studentTail(t, df)
    const error = Math.log(reached / tail)
    if (error > 0) low = u
    else high = u
    const next = u + (error * reached) / (t * studentDensity(t, df))
    const stepped = next > low && next < high ? next : (low + high) / 2
    if (Math.abs(stepped - u) < 1e-14 * Math.max(1, Math.abs(u))) break
    u = stepped
  }
  return Math.exp(u)
}

/** Abramowitz & Stegun 26.7.5. */
function cornishFisher(z: number, df: number): number {
  const q = z * z
  const terms = [
    (z * (q + 1)) / 4,
    (z * (5 * q * q + 16 * q + 3)) / 96,
    (z * (3 * q ** 3 + 19 * q * q + 17 * q - 15)) / 384,
    (z * (79 * q ** 4 + 776 * q ** 3 + 1482 * q * q - 1920 * q - 945)) / 92_160,
  ]
  return terms.reduce((sum, term, index) => sum + term / df ** (index + 1), z)
}

function studentDensity(t: number, df: number): number {
  const square = t * t
  return Math.exp(logBetaKernel(df / 2, 0.5, df / (df + square), square / (df + square))) / t
}

/** x with I_x(a, b) = p, 0 < p < 1, by halving: the last bit is right within a few units. */
export function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (incompleteBeta(a, b, middle) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}
