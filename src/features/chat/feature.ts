import type { Feature } from '../feature.ts'

/** Sends decisions to chats as messages. */
export const chat: Feature = {
  name: 'chat',
  formats: async () => (await import('./rules_body.ts')).FORMATS,
}
