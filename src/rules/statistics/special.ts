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
