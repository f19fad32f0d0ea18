import { env } from '#shared/core/env.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'
import { managedSecret } from '#shared/jobs/secret-rotation/managed-secret.ts'
import { rotateServiceSecret } from '#shared/jobs/secret-rotation/rotate-service-secret.ts'

/** Changes the versions of the service secret; invoked by an operator under IAM (docs/runbooks/secret-rotation.md). */
export const handler = watched(
  'rotate-service-secret',
  task((event) => rotateServiceSecret(managedSecret(env.serviceSecretArn), event)),
)
