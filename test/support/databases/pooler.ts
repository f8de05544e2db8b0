import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A pooler in transaction mode, as PgBouncer before 1.21 is: each transaction gets the next of a few server
 * connections, and what a client prepared on one of them is not on the others. It says that its process has the number
 * 0, or, unlike PgBouncer, `reportsServer` that of the connection which is next. Gone when the test is over.
 */
export async function transactionPooler(
  databaseUrl: string,
  connections = 3,
  { reportsServer = false } = {},
): Promise<{ url: string; transactions: number }> {
  const pool = await Promise.all(Array.from({ length: connections }, () => serverConnection(databaseUrl)))
  const waiting: (() => void)[] = []
  const clients = new Set<Socket>()
  const counted = { url: '', transactions: 0 }

  async function take(): Promise<ServerConnection> {
    counted.transactions += 1
    while (pool.length === 0) await new Promise<void>(resolve => waiting.push(resolve))
    return pool.shift()!
  }

  const listener = createServer(client => {
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => clients.delete(client))
    let server: ServerConnection | undefined
    let pending = Promise.resolve()
    const read = messageReader(({ type, bytes }) => {
      if (type === 'startup') {
        // A request for encryption is declined; anything else is let in.
        if (bytes.readUInt32BE(4) === 80_877_103) client.write('N')
        else client.write(welcome(reportsServer ? pool[0]!.key : Buffer.alloc(8)))
        return
      }
      if (type === 'X') {
        client.end()
        return
      }
      pending = forward(pending, bytes)
    }, true)
    client.on('data', read)

    async function forward(before: Promise<void>, bytes: Buffer): Promise<void> {
      await before
      server ??= await take()
      server.answers = (answer, status) => {
        client.write(answer)
        if (status !== 'I') return
        server!.answers = () => {}
        pool.push(server!)
        server = undefined
        waiting.shift()?.()
      }
      server.socket.write(bytes)
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    listener.close()
    for (const socket of clients) socket.destroy()
    for (const { socket } of pool) socket.destroy()
  })
  const url = new URL(databaseUrl)
  url.port = String((listener.address() as AddressInfo).port)
  counted.url = url.toString()
  return counted
}

interface ServerConnection {
  readonly socket: Socket
  /** The number of its process, and what cancels. */
  key: Buffer
  /** Takes each answer, and the state of the transaction where the answer tells it. */
  answers: (answer: Buffer, status: string | undefined) => void
}

async function serverConnection(databaseUrl: string): Promise<ServerConnection> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const connection: ServerConnection = { socket, key: Buffer.alloc(8), answers: () => {} }
  const ready = new Promise<void>((resolve, reject) => {
    connection.answers = (answer, status) => {
      const type = String.fromCharCode(answer[0]!)
      if (status !== undefined) resolve()
      else if (type === 'K') connection.key = answer.subarray(5)
      else if (type === 'E') reject(new Error(answer.toString('latin1')))
      // The server of the tests asks for the password as it is.
      else if (type === 'R' && answer.readUInt32BE(5) === 3) {
        socket.write(message('p', Buffer.from(`${decodeURIComponent(password)}\0`)))
      }
    }
  })
  socket.on(
    'data',
    messageReader(({ type, bytes }) => {
      connection.answers(bytes, type === 'Z' ? String.fromCharCode(bytes[5]!) : undefined)
    }, false),
  )
  const parameters = ['user', username, 'database', pathname.slice(1), '', ''].join('\0')
  const startup = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(parameters)])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(startup.length + 4)
  socket.write(Buffer.concat([length, startup]))
  await ready
  return connection
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Authentication is done, and the connection is ready. */
function welcome(key: Buffer): Buffer {
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('S', Buffer.from('server_version\x0018.0\0')),
    message('K', key),
    message('Z', Buffer.from('I')),
  ])
}

interface Message {
  readonly type: string
  readonly bytes: Buffer
}

/** Cuts a stream into messages (PostgreSQL, 53.7); the first one of a client has no type. */
function messageReader(onMessage: (message: Message) => void, isClient: boolean): (chunk: Buffer) => void {
  let buffered = Buffer.alloc(0)
  let isStarting = isClient
  return function read(chunk) {
    buffered = Buffer.concat([buffered, chunk])
    for (;;) {
      const head = isStarting ? 0 : 1
      if (buffered.length < head + 4) return
      const length = head + buffered.readUInt32BE(head)
      if (buffered.length < length) return
      const bytes = buffered.subarray(0, length)
      buffered = buffered.subarray(length)
      const isEncryption = isStarting && bytes.readUInt32BE(4) === 80_877_103
      onMessage({ type: isStarting ? 'startup' : String.fromCharCode(bytes[0]!), bytes })
      if (isStarting && !isEncryption) isStarting = false
    }
  }
}
