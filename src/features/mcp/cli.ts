import type { CommandSpec } from '../../cli/arguments/command.ts'
import { TARGET } from '../../cli/arguments/options.ts'

/** `svc mcp` */
export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    summary:
      'Answer an assistant over stdin and stdout by the Model Context Protocol; it reads, and writes nothing',
    options: [
      { flags: '--allow-writes', description: 'Also offer tools that promote and roll back' },
      ...TARGET,
    ],
    example: 'svc mcp --url https://releases.example.com',
    load: async () => (await import('./mcp.ts')).mcp,
  },
]
