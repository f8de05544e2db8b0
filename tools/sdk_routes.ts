import { routes } from '../handlers/index.ts'
import { readsOnly } from '../src/http/endpoint/spec.ts'

/** The facts of the routes that clients go by, as TypeScript: what the specification of each endpoint says of it. */
export async function sdkRoutes(): Promise<string> {
  const reads: string[] = []
  const others: string[] = []
  for (const load of Object.values(routes)) {
    const { route, spec } = (await load()).default
    if (route.startsWith('GET ')) {
      reads.push(`  | '${route}'`)
      continue
    }
    const { recordsActor, idempotent, repeatable } = spec
    const facts = { readsOnly: readsOnly(route, spec), recordsActor, idempotent, repeatable }
    const named = Object.entries(facts).flatMap(([name, holds]) => (holds === true ? [`${name}: true`] : []))
    others.push(`  '${route}': ${named.length === 0 ? '{}' : `{ ${named.join(', ')} }`},`)
  }
  return `// Generated from handlers by \`npm run generate\`, and never edited.

/** Every route of the service. */
export type Route = GetRoute | keyof typeof ROUTES

type GetRoute =
${reads.join('\n')}

/** The routes that are no GET, with what a client has to know of them. */
export const ROUTES = {
${others.join('\n')}
} as const
`
}
