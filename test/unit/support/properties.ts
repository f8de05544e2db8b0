import type { JsonSchema } from '../../../src/models/schemas.ts'

interface Property {
  readonly path: string
  readonly property: JsonSchema
}

/** All properties of a schema, however deep, each by its path, such as `usage.tools[].tool_name`. */
export function propertiesOf(schema: JsonSchema, path = ''): Property[] {
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  return [
    ...Object.entries(properties).flatMap(([key, property]) => {
      const here = path === '' ? key : `${path}.${key}`
      return [{ path: here, property }, ...propertiesOf(property, here)]
    }),
    ...(items === undefined ? [] : propertiesOf(items, `${path}[]`)),
    ...anyOf.flatMap(branch => propertiesOf(branch, path)),
    ...(typeof additionalProperties === 'object' ? propertiesOf(additionalProperties, `${path}.*`) : []),
  ]
}
