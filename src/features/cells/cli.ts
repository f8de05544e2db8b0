import type { CommandSpec, ServerJob } from '../../cli/arguments/command.ts'
import { OUTPUT, TARGET } from '../../cli/arguments/options.ts'
import { oneOf } from '../../cli/arguments/help.ts'
import { SCHEMAS } from './rules_sql.ts'
import { ENGINES } from './rules_sql_ours.ts'

/** `svc cells …` */
export const CELLS_COMMANDS: readonly (CommandSpec | ServerJob)[] = [
  { runsIn: 'serve', load: async () => (await import('./jobs_pull.ts')).runPulls },
  {
    name: 'cells import',
    args: '<FILE>',
    summary: 'Import sums of runs that an engine made: JSON lines of cells; - is stdin',
    options: [
      {
        flags: '--allow-fewer',
        description: 'Also where the engine has fewer runs than it had; takes a reason',
      },
      { flags: '--reason <TEXT>', description: 'Why; kept in the audit log' },
      OUTPUT,
      ...TARGET,
    ],
    example: 'clickhouse-client --queries-file cells.sql | svc cells import -',
    load: async () => (await import('./cli_cells.ts')).importFile,
  },
  {
    name: 'cells sources',
    summary: 'List where sums of runs come from, and up to when each is complete',
    options: [OUTPUT, ...TARGET],
    example: 'svc cells sources',
    load: async () => (await import('./cli_cells.ts')).sources,
  },
  {
    name: 'cells sql',
    summary: 'Print the queries that make cells of a table of runs',
    options: [
      { flags: '--engine <ENGINE>', description: oneOf(ENGINES), values: ENGINES, required: true },
      {
        flags: '--schema <SCHEMA>',
        description: `${oneOf(SCHEMAS)} (default ours); otel and langfuse take clickhouse`,
        values: SCHEMAS,
      },
      { flags: '--table <NAME>', description: 'The table (default runs, or otel_traces)' },
      { flags: '--parts <NAME>', description: 'The table of what runs used of other models, of schema ours' },
      { flags: '--scores <NAME>', description: 'The table of scores, of schema ours' },
      { flags: '--project <ID>', description: 'The project of Langfuse' },
      { flags: '--longest-run <AGE>', description: 'How long a run of traces may take (default 1h)' },
      { flags: '--from <TIME>', description: 'Start of an hour; {from_ms} is left in unless given' },
      { flags: '--to <TIME>', description: 'End of a minute; {to_ms} is left in unless given' },
      OUTPUT,
    ],
    example: 'svc cells sql --engine duckdb --table "read_parquet(\'runs/*.parquet\')"',
    load: async () => (await import('./cli_cells.ts')).printSql,
  },
  {
    name: 'cells pull',
    args: '[SOURCE]',
    summary: 'Ask the engines of service.yaml for cells now; without a name all of them',
    options: [
      { flags: '--from <TIME>', description: 'From this hour on; where the last time ended unless given' },
      {
        flags: '--to <TIME>',
        description: 'Up to this minute; now, less the delay of the source, unless given',
      },
      OUTPUT,
    ],
    example: 'svc cells pull clickhouse-eu',
    load: async () => (await import('./cli_pull.ts')).pullNow,
  },
  {
    name: 'cells verify',
    args: '<ACTION_ID>',
    summary: 'Ask the engines that a decision rested on again; exit 1 where they say something else by now',
    options: [OUTPUT],
    example: 'svc cells verify act_0123456789ab',
    load: async () => (await import('./cli_pull.ts')).verifyAction,
  },
]
