import { disconnect } from '#shared/live/disconnect.ts'
import { liveHandler } from '#shared/live/live-handler.ts'

/** `$disconnect`: the connection is over, for whatever reason (C3.2). The platform may fail to tell. */
export const handler = liveHandler('$disconnect', {
  open: () => null,
  async handle({ requestContext }) {
    await disconnect(requestContext.connectionId)
    return { statusCode: 200 }
  },
})
