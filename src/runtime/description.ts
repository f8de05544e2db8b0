import { tags } from '../../handlers/index.ts'
import examples from '../http/openapi/api_examples.json' with { type: 'json' }
import { openApiDocument } from '../http/openapi/openapi.ts'
import { type Description, withSharedParts } from '../http/openapi/shared.ts'

/** The OpenAPI description as JSON text, made on the first request for it. */
export function apiDescription(version: string): () => Promise<string> {
  let text: Promise<string> | undefined
  return function describe() {
    text ??= openApiDocument(tags, version, examples).then(document =>
      JSON.stringify(withSharedParts(document as unknown as Description)),
    )
    return text
  }
}
