import { build } from 'rolldown'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { sdkModules } from '../../../tools/packaging/sdk.ts'

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

/** The source of what the package exports. */
function sourceOf(id: string): string | null {
  const module = sdkModules().find(({ specifier }) => specifier === id)
  return module === undefined ? null : ROOT_PATH + module.source
}
