import { join } from 'node:path'
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers'

const projectRoot = join(import.meta.dirname, '../..')

/** The image that the service's is built upon: the Dockerfile's own, unless the machine has a stand-in for it. */
export const nodeImage: string = process.env.NODE_IMAGE ?? 'node:26-bookworm-slim'

/** Builds the service's image from the Dockerfile as it stands, and gives its name. What is unchanged is not built again. */
export async function buildServiceImage(): Promise<string> {
  const name = 'localhost/lead-intake:test'
  await GenericContainer.fromDockerfile(projectRoot)
    .withBuildArgs({ NODE_IMAGE: nodeImage })
    .build(name, { deleteOnExit: false })
  return name
}

/** What the engine knows of an image. */
export async function inspectImage(name: string) {
  return (await getContainerRuntimeClient()).container.dockerode.getImage(name).inspect()
}
