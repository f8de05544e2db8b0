import { type } from 'arktype'

/** A JSON object. arktype alone takes an array for an object where every key is optional. */
export const JsonObject = type.object.narrow(
  (value, ctx) => !Array.isArray(value) || ctx.reject({ expected: 'an object', actual: 'an array' }),
)
