import { disconnect } from '#shared/live/disconnect.ts'
import { liveHandler } from '#shared/live/live-handler.ts'

/** Handles `$disconnect` after a connection has ended for any reason (C3.2). API Gateway may fail to send this event. */
export const handler = liveHandler('$disconnect', {
  open: () => null,
  async handle({ requestContext }) {
    await disconnect(requestContext.connectionId)
    return { statusCode: 200 }
  },
})
