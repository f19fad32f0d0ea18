import { openConnection } from '#shared/http/live/open-connection.ts'

export const handler = openConnection
