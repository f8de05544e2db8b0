import { type } from 'arktype'
import { documented } from '../../models/docs.ts'
import { Identifier, JsonObject } from '../../models/scalars.ts'

/** GET /v1/pointers/{agent_id}/{environment} */
export const Pointer = type({
  agent_id: Identifier,
  environment: Identifier,
  release_id: Identifier,
  version: 'string',
  checksum: 'string',
})
export type Pointer = typeof Pointer.infer

export const pointer = documented(Pointer, {
  title: 'Pointer',
  description: 'The release that is promoted for an agent in an environment.',
  fields: {
    agent_id: 'The agent.',
    environment: 'The environment.',
    release_id: 'The promoted release.',
    version: 'Its version.',
    checksum: 'SHA-256 of its bundle.',
  },
})

/** The body of POST /ofrep/v1/evaluate/flags and of one flag, as OFREP 0.3.0 has it. */
export const FlagQuestion = type({ 'context?': JsonObject })

export const flagQuestion = documented(FlagQuestion, {
  title: 'FlagQuestion',
  description: 'What a flag is asked for.',
  fields: { context: '`environment` says which; the default environment of the workspace without it.' },
})

/** What OFREP answers for a flag. */
export const Flag = type({ key: 'string', value: 'string', reason: 'string', variant: 'string' })

export const flag = documented(Flag, {
  title: 'Flag',
  description: 'The promoted release as the value of a flag (OpenFeature Remote Evaluation Protocol).',
  fields: {
    key: 'The agent.',
    value: 'The promoted release.',
    reason: '`STATIC`: it is the same for everybody.',
    variant: 'The version of the release.',
  },
})

/** What OFREP answers for all flags. */
export const Flags = type({ flags: Flag.array() })

export const flags = documented(Flags, {
  title: 'Flags',
  description: 'All promoted releases of an environment as flags (OpenFeature Remote Evaluation Protocol).',
  fields: {
    flags: 'A flag per agent of which something is promoted there.',
    'flags[].key': 'The agent.',
    'flags[].value': 'The promoted release.',
    'flags[].reason': '`STATIC`: it is the same for everybody.',
    'flags[].variant': 'The version of the release.',
  },
})

/** What OFREP answers where there is no value. */
export const FlagError = type({ key: 'string', errorCode: 'string', errorDetails: 'string' })

export const flagError = documented(FlagError, {
  title: 'FlagError',
  description: 'Why there is no value.',
  fields: {
    key: 'The agent.',
    errorCode: '`FLAG_NOT_FOUND`, `PARSE_ERROR` or `INVALID_CONTEXT`.',
    errorDetails: 'The same in words.',
  },
})

/** What OFREP answers where there are no values. */
export const FlagsError = type({ errorCode: 'string', errorDetails: 'string' })

export const flagsError = documented(FlagsError, {
  title: 'FlagsError',
  description: 'Why there are no values.',
  fields: {
    errorCode: '`PARSE_ERROR` or `INVALID_CONTEXT`.',
    errorDetails: 'The same in words.',
  },
})

export const MODELS = {
  Flag: flag,
  FlagError: flagError,
  Flags: flags,
  FlagsError: flagsError,
  FlagQuestion: flagQuestion,
  Pointer: pointer,
} as const
type FeatureModels = typeof MODELS

declare module '../../models/all/models.ts' {
  interface Models extends FeatureModels {}
}
