import { API_SCHEMAS } from '../api_schemas.ts'
import type { ModelName } from './models.ts'
import type { JsonSchema } from '../schemas.ts'

/** The JSON Schema of a model that an endpoint names. */
export function apiSchema(name: ModelName): JsonSchema {
  const schema = API_SCHEMAS[name]
  if (schema === undefined) throw new Error(`${name} has no JSON Schema yet: run \`npm run generate\``)
  return schema
}
