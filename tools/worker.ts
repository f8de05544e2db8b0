import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, build } from 'rolldown'
import { writtenMigrations } from '../src/runtime/node/migrations.ts'
import { migrationText } from '../src/sql/ddl.ts'
import { ROOT } from '../src/runtime/root.ts'
import { type ShippedMigration, parseMigration } from '../src/sql/migrate.ts'
import { migrationChecksum } from '../src/sql/port.ts'

/** Bundles the Worker, or another entry on the same sources, into one module and returns its code. */
export async function buildWorker(
  entry = fileURLToPath(new URL('../src/entry/worker.ts', import.meta.url)),
  file?: string,
): Promise<string> {
  const { output } = await build({
    input: entry,
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import', 'default'] },
    external: [/^node:/, /^cloudflare:/],
    plugins: [shipped(), withoutIndentation(), withoutReplication(), withSmallBase64()],
    write: file !== undefined,
    logLevel: 'warn',
    output: {
      format: 'esm',
      codeSplitting: false,
      comments: false,
      // The description names operations by their functions, and errors differ by the names of their classes.
      minify: { mangle: { keepNames: true }, compress: { keepNames: { function: true, class: true } } },
      ...(file === undefined ? {} : { file }),
    },
  })
  return output[0].code
}

/** `virtual:shipped`: a Worker has no files, so their texts go into the bundle. */
function shipped(): Plugin {
  const id = 'virtual:shipped'
  return {
    name: 'shipped',
    resolveId: source => (source === id ? { id: `\0${id}` } : null),
    load: async given => {
      if (given !== `\0${id}`) return null
      const { version } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as {
        version: string
      }
      const migrations = await shippedTexts()
      const headers = await readFile(new URL('src/web/public/_headers', ROOT), 'utf8')
      return `export const VERSION = ${JSON.stringify(version)}
        export const PAGE_HEADERS = ${JSON.stringify(headers)}
        export const MIGRATIONS = ${JSON.stringify(migrations)}`
    },
  }
}

/** SQL is written over several lines, whose indentation would stay in the texts that the minifier keeps. */
function withoutIndentation(): Plugin {
  return {
    name: 'without-indentation',
    transform: {
      filter: { id: /\/src\/(?:(?:ledger|sql)\/.*|features\/\w+\/(?!rules)\w+)\.ts$/ },
      handler: code => ({ code: code.replaceAll(/\n +/g, '\n'), map: null }),
    },
  }
}

/** The driver of PostgreSQL follows a server's changes, too, which nothing here asks for. */
function withoutReplication(): Plugin {
  return {
    name: 'without-replication',
    load: {
      filter: { id: /\/postgres\/cf\/src\/subscribe\.js$/ },
      handler: () => 'export default () => () => {}',
    },
  }
}

/** The drivers of libSQL write blobs in Base64, and the ledger has none: the runtime's own does in place of 6 kB. */
function withSmallBase64(): Plugin {
  return {
    name: 'with-small-base64',
    load: {
      filter: { id: /\/js-base64\/base64\.m?js$/ },
      handler: () => `export const Base64 = {
        fromUint8Array: bytes => btoa(String.fromCharCode(...bytes)),
        toUint8Array: text => Uint8Array.from(atob(text), character => character.charCodeAt(0)),
      }`,
    },
  }
}

/** Each migration as it is written, and the checksums of what databases take of it, in order. */
function shippedTexts(): Promise<ShippedMigration[]> {
  const checksumOf = (name: string, text: string) => migrationChecksum(parseMigration(name, text))
  return Promise.all(
    writtenMigrations().map(async ({ name, texts }) => ({
      name,
      texts: {
        sqlite: withoutComments(texts.sqlite),
        ...(texts.postgres && { postgres: withoutComments(texts.postgres) }),
      },
      checksums: {
        sqlite: await checksumOf(name, migrationText('sqlite', texts)),
        postgres: await checksumOf(name, migrationText('postgres', texts)),
      },
    })),
  )
}

/** Comments are on lines of their own, between statements: readers of the files need them, a database doesn't. */
function withoutComments(text: string): string {
  return text.replaceAll(/^--.*\n/gm, '').trimStart()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWorker(undefined, fileURLToPath(new URL('dist/worker/index.js', ROOT)))
}
