import type { CommandSpec } from '../../cli/arguments/command.ts'
import { TARGET } from '../../cli/arguments/options.ts'

/** `svc mcp` */
export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    summary: 'Serve an assistant by the Model Context Protocol (stdin and stdout), read-only',
    options: [
      { flags: '--allow-writes', description: 'Offer tools that promote and roll back too' },
      ...TARGET,
    ],
    example: 'svc mcp --url https://releases.example.com',
    load: async () => (await import('./mcp.ts')).mcp,
  },
]
