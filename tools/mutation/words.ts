import { PluginKind, declareValuePlugin } from '@stryker-mutator/api/plugin'

/** What of a syntax tree Stryker asks about. */
interface Path {
  readonly node: {
    readonly type: string
    readonly value?: unknown
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
  }
  readonly parent: { readonly type: string } | null
}

/** Texts with a blank in them are words for people, and stay. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'words', {
    shouldIgnore: path => {
      const { node } = path as unknown as Path
      return texts(node).some(text => text.includes(' ')) ? 'words for people' : undefined
    },
  }),
]

function texts({ type, value, quasis = [] }: Path['node']): readonly string[] {
  if (type === 'StringLiteral') return [value as string]
  return type === 'TemplateLiteral' ? quasis.map(quasi => quasi.value.raw) : []
}
