import { build } from 'rolldown'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

/** A program and the SDK as one file, as a bundler would make it for a browser or Worker. */
export async function bundleOf(program: string): Promise<string> {
  const { output } = await build({
    input: 'program',
    platform: 'neutral',
    write: false,
    output: { minify: true },
    plugins: [
      {
        name: 'program',
        resolveId: id => (id === 'program' ? id : sourceOf(id)),
        load: id => (id === 'program' ? program : null),
      },
    ],
  })
  if (output.length !== 1) throw new Error(`${output.length} files instead of one`)
  return output[0].code
}

/** The source of what the package exports of the SDK: each in a folder of its name, but for the client itself. */
function sourceOf(id: string): string | null {
  const name = /^release-governance\/([\w-]+)$/.exec(id)?.[1]
  if (name === undefined) return null
  return `${ROOT_PATH}src/sdk/${name === 'sdk' ? '' : `${name.replaceAll('-', '_')}/`}index.ts`
}
