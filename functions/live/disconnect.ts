import { closeConnection } from '#shared/http/live/close-connection.ts'

export const handler = closeConnection
