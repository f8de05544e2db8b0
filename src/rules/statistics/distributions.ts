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

const HALF_LN_2PI = Math.log(2 * Math.PI) / 2

/** From here on the series of Stirling has all digits of a double. */
const LARGE = 15

/** ln Γ(x) for x > 0: Stirling's series (DLMF 5.11.1) after a shift up by Γ(x + 1) = x Γ(x). */
export function logGamma(x: number): number {
  let [shifted, product] = [x, 1]
  while (shifted < LARGE) {
    product *= shifted
    shifted += 1
  }
  return stirling(shifted) + stirlingError(shifted) - Math.log(product)
}

function stirling(x: number): number {
  return (x - 0.5) * Math.log(x) - x + HALF_LN_2PI
}

/** ln Γ(x) less Stirling's approximation of it. */
function stirlingError(x: number): number {
  if (x < LARGE) return logGamma(x) - stirling(x)
  const square = x * x
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / x
}

/**
 * ln of xᵃ yᵇ / B(a, b), with y = 1 − x and x strictly between 0 and 1, without the cancellation that three large
 * ln Γ would bring (Loader 2000, "Fast and accurate computation of binomial probabilities").
 */
export function logBetaKernel(a: number, b: number, x: number, y: number): number {
  const n = a + b
  return (
    stirlingError(n) -
    stirlingError(a) -
    stirlingError(b) -
    deviance(a, n * x) -
    deviance(b, n * y) +
    Math.log((a / n) * b) / 2 -
    HALF_LN_2PI
  )
}

/** k ln(k / m) + m − k; near k = m by its series, which keeps the digits. */
function deviance(k: number, m: number): number {
  const distance = k - m
  if (Math.abs(distance) >= 0.1 * (k + m)) return k * Math.log(k / m) - distance
  const ratio = distance / (k + m)
  let sum = distance * ratio
  let term = 2 * k * ratio
  for (let i = 3; i < 1000; i += 2) {
    term *= ratio * ratio
    const next = sum + term / i
    if (next === sum) break
    sum = next
  }
  return sum
}

/**
 * The regularised incomplete beta function I_x(a, b) for a, b > 0, by its continued fraction (DLMF 8.17.22).
 * Give y = 1 − x where it is known to more digits than x leaves of it.
 */
export function incompleteBeta(a: number, b: number, x: number, y = 1 - x): number {
  if (x <= 0) return 0
  if (y <= 0) return 1
  const kernel = Math.exp(logBetaKernel(a, b, x, y))
  return x <= (a + 1) / (a + b + 2)
    ? (kernel * betaFraction(a, b, x)) / a
    : 1 - (kernel * betaFraction(b, a, y)) / b
}

/** Modified Lentz; takes about the square root of the larger parameter in steps. */
function betaFraction(a: number, b: number, x: number): number {
  const steps = 200 + 10 * Math.sqrt(Math.max(a, b))
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < steps; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return value
}

function nonZero(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value
}
