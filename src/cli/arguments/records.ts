import type { CommandSpec, OptionSpec, Run } from './command.ts'

/** Options by how they are typed: what each is, or that with what its value has to be. */
export type OptionTable = Readonly<Record<string, string | Omit<OptionSpec, 'flags'>>>

/** A command as it is written, by how it is typed: `release show <RELEASE_ID>`. */
interface CommandRecord extends Omit<CommandSpec, 'name' | 'args' | 'options' | 'load'> {
  readonly options?: OptionTable
  readonly run?: Run
  readonly load?: CommandSpec['load']
}

/** The commands of a group, in the order of the help. */
export function commands(records: Readonly<Record<string, CommandRecord>>): readonly CommandSpec[] {
  return Object.entries(records).map(([typed, { options = {}, run, load, ...record }]) => {
    const [, name, args] = /^([a-z -]+?)(?: (\W.*))?$/.exec(typed)!
    return {
      ...record,
      name: name!,
      ...(args === undefined ? {} : { args }),
      options: Object.entries(options).map(([flags, option]) => ({
        flags,
        ...(typeof option === 'string' ? { description: option } : option),
      })),
      load: load ?? (async () => run!),
    }
  })
}

type OptionFacts = Omit<OptionSpec, 'flags'>
type More = Omit<OptionFacts, 'description'>

export const required = (description: string, more: More = {}): OptionFacts => ({
  description,
  required: true,
  ...more,
})
/** A text that the service judges, also an empty one. */
export const reason = (description: string): OptionFacts => required(description, { mayBeEmpty: true })
export const maybeEmpty = (description: string): OptionFacts => ({ description, mayBeEmpty: true })
export const whole = (description: string): OptionFacts => ({ description, number: 'whole' })
export const many = (description: string): OptionFacts => ({ description, many: true })
export const among = (values: readonly string[], description: string, more: More = {}): OptionFacts => ({
  description,
  values,
  ...more,
})
