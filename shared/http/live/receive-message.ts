import { takeMessage } from '../../access/live/take-message.ts'
import { toJson } from '../../core/json/json.ts'
import { watchedLive } from './watched-live.ts'

/** `$default`: a message of a device (C4). What is not text is no message. */
export const receiveMessage = watchedLive('$default', async ({ body, isBase64Encoded, requestContext }) => {
  const reply = await takeMessage(requestContext.connectionId, isBase64Encoded ? undefined : body)
  return { statusCode: 200, ...(reply && { body: toJson(reply) }) }
})
