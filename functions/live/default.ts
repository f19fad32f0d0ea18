import { receiveMessage } from '#shared/http/live/receive-message.ts'

export const handler = receiveMessage
