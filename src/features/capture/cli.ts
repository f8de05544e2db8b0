import { commands, many, whole } from '../../cli/arguments/records.ts'

/** `svc release capabilities capture` */
export const COMMANDS = commands({
  'release capabilities capture': {
    summary: 'Print spec.capabilities for release.yaml, from MCP servers; needs no ledger',
    options: {
      '--mcp <TARGET>': many(
        'An MCP server: an http(s) URL, or a command; NAME= in front gives it another name than its own. Needs @modelcontextprotocol/client',
      ),
      '--trust-hints': 'Believe what a source says about tools that only read',
      '--pass-env <NAME>': many(
        'A variable of the environment that started servers get too, such as an API key',
      ),
      '--token-env <NAME>': 'The variable that holds the bearer token for URLs',
      '--timeout <SECONDS>': whole('For each source (default 30)'),
      '--yes': 'Start commands without asking',
    },
    example: 'svc release capabilities capture --mcp "npx -y @acme/tickets-mcp" > capabilities.yaml',
    load: async () => (await import('./cli_capture.ts')).capture,
  },
})
