import { TARGET } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'

/** `svc mcp` */
export const COMMANDS = commands({
  mcp: {
    summary: 'Serve an assistant by the Model Context Protocol (stdin and stdout), read-only',
    options: { '--allow-writes': 'Offer tools that promote and roll back too', ...TARGET },
    example: 'svc mcp --url https://releases.example.com',
    load: async () => (await import('./mcp.ts')).mcp,
  },
})
