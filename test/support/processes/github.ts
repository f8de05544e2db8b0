import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Comment {
  readonly id: number
  body: string
  readonly user: { readonly type: string }
}

/** The part of GitHub's API that the action calls. */
export async function gitHub(comments: Comment[] = [], { status = 0 } = {}) {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { pathname, searchParams } = new URL(request.url!, 'http://github.test')
    requests.push(`${request.method} ${pathname}`)
    const answer = (code: number, value: unknown): void => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (status !== 0) return answer(status, { message: 'Resource not accessible by integration' })
    if (request.headers.authorization !== 'Bearer of-github') return answer(401, {})
    if (request.method === 'GET') {
      const from = (Number(searchParams.get('page')) - 1) * 100
      return answer(200, comments.slice(from, from + Number(searchParams.get('per_page'))))
    }
    const given = (JSON.parse(body) as { body: string }).body
    if (request.method === 'POST') {
      comments.push({ id: comments.length + 1, body: given, user: { type: 'Bot' } })
      return answer(201, {})
    }
    const id = Number(pathname.split('/').at(-1))
    comments.find(comment => comment.id === id)!.body = given
    return answer(200, {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, comments, requests }
}
