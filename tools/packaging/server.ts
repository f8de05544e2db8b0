import type { Plugin } from 'rolldown'
import { type Edit, edited } from './driver.ts'

/**
 * Bundles the HTTP adapter without four parts that it loads at its start and that no request of ours needs: its client, the
 * client's TLS, its reader of forms, and the Fetch API of Node, which brings undici and its streams.
 */
export const bundledServer: Plugin = {
  name: 'server',
  transform: {
    filter: { id: /\/node_modules\/@whatwg-node\/(?:server|node-fetch)\// },
    handler: (code, id) =>
      (EDITS[id.slice(id.lastIndexOf('/') + 1)] ?? []).reduce((text, edit) => edited(text, edit, id), code),
  },
}

const EDITS: Readonly<Record<string, readonly Edit[]>> = {
  'createServerAdapter.js': [
    ['const nativeFetchAPI = {', 'const nativeFetchAPI = () => ({'],
    ['URLSearchParams: globalThis.URLSearchParams,\n};', 'URLSearchParams: globalThis.URLSearchParams,\n});'],
    ['return nativeFetchAPI;', 'return nativeFetchAPI();'],
    ['expectedFetchAPI.Request !== globalThis.Request', 'true'],
  ],
  'Request.js': [['= require("node:https")', '= { get Agent() { return require("node:https").Agent } }']],
  'fetch.js': [['= require("./fetchNodeHttp.js")', '= {}']],
  'Body.js': [['= require("@fastify/busboy")', '= {}']],
}
