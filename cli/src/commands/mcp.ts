import type { Command } from 'commander';
import { type Perform, subcommand } from '../io/invocation.ts';

/** `srs mcp` */
export function addMcp(parent: Command, perform: Perform): void {
  subcommand(
    parent,
    'mcp',
    'answer an assistant on stdin and stdout by the Model Context Protocol; it can only read',
  ).action(
    perform(async (call) => {
      // Imported on demand: the protocol's library takes longer to load than the other commands.
      const { serveMcp } = await import('./mcp-server.ts');
      return await serveMcp(call, parent.version() ?? '');
    }),
  );
}
