import { disconnect } from '../../access/live/disconnect.ts'
import { watchedLive } from './watched-live.ts'

/** `$disconnect`: the connection is over, for whatever reason (C3.2). The platform may fail to tell. */
export const closeConnection = watchedLive('$disconnect', async ({ requestContext }) => {
  await disconnect(requestContext.connectionId)
  return { statusCode: 200 }
})
