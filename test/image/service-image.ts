import { GenericContainer } from 'testcontainers'
import { root } from '../support/service.ts'

/** The base image: the one in the Dockerfile, unless this machine has a stand-in for it. */
export const nodeImage: string = process.env.NODE_IMAGE ?? 'node:26-bookworm-slim'

/** Builds the service's image from the unmodified Dockerfile and returns its name. Cached when nothing has changed. */
export async function buildServiceImage(): Promise<string> {
  const name = 'localhost/lead-intake:test'
  await GenericContainer.fromDockerfile(root)
    .withBuildArgs({ NODE_IMAGE: nodeImage })
    .build(name, { deleteOnExit: false })
  return name
}
