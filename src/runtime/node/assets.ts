import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reply } from '../../http/wire/message.ts'
import { type HeaderRule, headersFor, parseHeaders } from '../page_headers.ts'
import { ROOT } from '../root.ts'

const FOLDER = fileURLToPath(new URL('dist/web/', ROOT))

/** Headers by path, in the format that Workers read them from the same folder; not served itself. */
const HEADERS_FILE = '/_headers'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * Serves the files of the web UI from memory, `/` being index.html. The folder is listed once; only what was listed
 * is ever read, so no path leads out of it. What could not be read is tried again at the next request.
 */
export function assetServer(folder = FOLDER): (path: string) => Promise<Reply | undefined> {
  let listed: ListedAssets | undefined
  const replies = new Map<string, Reply>()
  return async function asset(requested) {
    const { files, rules } = (listed ??= await listFiles(folder))
    const path = requested === '/' ? '/index.html' : requested
    if (!files.has(path)) return undefined
    const reply = replies.get(path) ?? (await readAsset(join(folder, path), headersFor(requested, rules)))
    replies.set(path, reply)
    return reply
  }
}

interface ListedAssets {
  readonly files: ReadonlySet<string>
  readonly rules: readonly HeaderRule[]
}

/** Nothing where there is no such folder: a checkout may lack it. */
async function listFiles(folder: string): Promise<ListedAssets> {
  const options = { recursive: true, withFileTypes: true } as const
  const entries = await readdir(folder, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = new Set(
    entries
      .filter(entry => entry.isFile())
      .map(file => `/${join(file.parentPath, file.name).slice(folder.length).replaceAll('\\', '/')}`),
  )
  const rules = files.delete(HEADERS_FILE) ? await readFile(join(folder, HEADERS_FILE), 'utf8') : ''
  return { files, rules: parseHeaders(rules) }
}

async function readAsset(file: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  const body = await readFile(file)
  return {
    status: 200,
    headers: {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      'cache-control': 'no-cache',
      ...headers,
    },
    body,
  }
}
