import type { CommandSpec } from '../../cli/arguments/command.ts'

/** `svc release capabilities capture` */
export const CAPTURE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'release capabilities capture',
    summary: 'Print spec.capabilities for release.yaml, from MCP servers; needs no ledger',
    options: [
      {
        flags: '--mcp <TARGET>',
        description:
          'An MCP server: an http(s) URL, or a command; NAME= in front gives it another name than its own. Needs @modelcontextprotocol/client',
        many: true,
      },
      { flags: '--trust-hints', description: 'Believe what a source says about tools that only read' },
      {
        flags: '--pass-env <NAME>',
        description: 'A variable of the environment that started servers get too, such as an API key',
        many: true,
      },
      { flags: '--token-env <NAME>', description: 'The variable that holds the bearer token for URLs' },
      { flags: '--timeout <SECONDS>', description: 'For each source (default 30)', number: 'whole' },
      { flags: '--yes', description: 'Start commands without asking' },
    ],
    example: 'svc release capabilities capture --mcp "npx -y @acme/tickets-mcp" > capabilities.yaml',
    load: async () => (await import('./cli_capture.ts')).capture,
  },
]
