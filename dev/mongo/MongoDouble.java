import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.AbstractUniqueIndex;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.QueryParameters;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * Stands in for MongoDB where no mongod is to be had: MongoDouble HOST PORT [FILE].
 * Without FILE everything is in memory. Ends when its standard input does.
 */
public final class MongoDouble {
    public static void main(String[] args) throws IOException {
        String file = args.length > 2 ? args[2] : null;
        MVStore store = new MVStore.Builder().fileName(file).autoCommitDisabled().open();
        MongoServer server = new MongoServer(new Backend(store, file != null));
        server.bind(args[0], Integer.parseInt(args[1]));
        System.out.println(server.getLocalAddress().getPort());
        while (System.in.read() >= 0) {
            // nothing is said to us there; only its end counts
        }
        server.shutdownNow();
        System.exit(0);
    }

    /** Today's driver refuses the wire version that the library reports by itself. */
    private enum Version implements MongoVersion {
        REPORTED;

        @Override
        public List<Integer> getVersionArray() {
            return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
            return 13;
        }
    }

    private static class Backend extends H2Backend {
        private static final Set<String> READS = Set.of("find", "getmore", "count", "distinct", "hello", "ismaster",
            "ping", "buildinfo", "killcursors", "endsessions", "listcollections", "listindexes", "listdatabases");
        private final boolean onDisk;
        private final Object writing = new Object();
        /** An index is built over documents that change in place, so nothing else may run meanwhile. */
        private final ReadWriteLock building = new ReentrantReadWriteLock();

        Backend(MVStore store, boolean onDisk) {
            super(store);
            this.onDisk = onDisk;
            version(Version.REPORTED);
        }

        @Override
        protected MongoDatabase openOrCreateDatabase(String name) {
            return new Database(name, getCursorRegistry());
        }

        @Override
        public Document handleCommand(Channel channel, String database, String command, Document query) {
            if (command.equalsIgnoreCase("hello")) {
                return super.handleCommand(channel, database, "ismaster", query).append("isWritablePrimary", true);
            }
            boolean builds = command.equalsIgnoreCase("createIndexes");
            Lock lock = builds ? building.writeLock() : building.readLock();
            lock.lock();
            try {
                return run(channel, database, command, query);
            } finally {
                lock.unlock();
            }
        }

        private Document run(Channel channel, String database, String command, Document query) {
            SafeCollection.firstMatch.set(command.equals("aggregate") ? leadingMatch(query) : null);
            if (!onDisk || READS.contains(command.toLowerCase())) {
                return super.handleCommand(channel, database, command, query);
            }
            // Documents change in place, so that nothing may be written out while another command changes them.
            synchronized (writing) {
                Document reply = super.handleCommand(channel, database, command, query);
                commit();
                return reply;
            }
        }

        private static Document leadingMatch(Document query) {
            return query.get("pipeline") instanceof List<?> stages && !stages.isEmpty()
                && stages.get(0) instanceof Document stage && stage.get("$match") instanceof Document match ? match : null;
        }

        /** Inner, not static: the constructor above it already asks for collections. */
        private final class Database extends H2Database {
            Database(String name, CursorRegistry cursors) {
                super(name, getMvStore(), cursors);
            }

            @Override
            protected MongoCollection<Object> openOrCreateCollection(String name, CollectionOptions options) {
                String fullName = getFullCollectionNamespace(name);
                MVMap<Object, Document> data = getMvStore().openMap("databases." + fullName);
                MVMap<String, Object> meta = getMvStore().openMap("meta." + fullName);
                return new SafeCollection(this, name, options, data, meta, cursorRegistry);
            }

            @Override
            protected Index<Object> openOrCreateUniqueIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
                return new UniqueIndex(name, keys, sparse);
            }

            @Override
            protected Index<Object> openOrCreateSecondaryIndex(String collection, String name, List<IndexKey> keys, boolean sparse) {
                return new LeadingKeyIndex(name, keys);
            }
        }
    }

    /** Answers with copies: stored documents change in place while an answer is still being written. */
    private static final class SafeCollection extends H2Collection {
        static final ThreadLocal<Document> firstMatch = new ThreadLocal<>();
        private boolean modifying;
        private boolean reading;

        SafeCollection(MongoDatabase database, String name, CollectionOptions options,
                       MVMap<Object, Document> data, MVMap<String, Object> meta, CursorRegistry cursors) {
            super(database, name, options, data, meta, cursors);
        }

        @Override
        public synchronized Document findAndModify(Document query) {
            modifying = true;
            try {
                return super.findAndModify(query).cloneDeeply();
            } finally {
                modifying = false;
            }
        }

        @Override
        public synchronized QueryResult handleQuery(QueryParameters parameters) {
            reading = !modifying;
            try {
                return super.handleQuery(parameters);
            } finally {
                reading = false;
            }
        }

        /** Applies $match before the copy: by default an aggregation first copies the whole collection. */
        @Override
        public Stream<Document> queryAllAsStream() {
            Document match = firstMatch.get();
            firstMatch.remove();
            return handleQueryAsStream(match == null ? new Document() : match);
        }

        @Override
        protected QueryResult createQueryResult(List<Document> documents, int batchSize) {
            List<Document> answer = documents;
            if (reading) {
                answer = new ArrayList<>(documents.size());
                for (Document document : documents) {
                    answer.add(document.cloneDeeply());
                }
            }
            return super.createQueryResult(answer, batchSize);
        }

        /** A unique index also serves a filter that names more than its keys, such as {_id, status}. */
        @Override
        protected QueryResult queryDocuments(Document query, Document orderBy, int skip, int limit, int batchSize, Document fields) {
            for (Index<Object> index : getIndexes()) {
                Document part = new Document();
                for (IndexKey key : index.getKeys()) {
                    if (LeadingKeyIndex.isPlain(query.get(key.getKey()))) {
                        part.put(key.getKey(), query.get(key.getKey()));
                    }
                }
                if (index.isUnique() && part.size() == index.getKeys().size() && index.canHandle(part)) {
                    return matchDocuments(query, index.getPositions(part), orderBy, skip, limit, batchSize, fields);
                }
            }
            return super.queryDocuments(query, orderBy, skip, limit, batchSize, fields);
        }
    }

    /** In the heap, filled again at each start: in H2's maps every comparison of two keys serialises both. */
    private static final class UniqueIndex extends AbstractUniqueIndex<Object> {
        private final Map<KeyValue, Object> positions = new ConcurrentHashMap<>();

        UniqueIndex(String name, List<IndexKey> keys, boolean sparse) {
            super(name, keys, sparse);
        }

        @Override
        protected Object removeDocument(KeyValue key) {
            return positions.remove(key);
        }

        @Override
        protected boolean putKeyPosition(KeyValue key, Object position) {
            return positions.putIfAbsent(key, position) == null;
        }

        @Override
        protected Object getPosition(KeyValue key) {
            return positions.get(key);
        }

        @Override
        protected Iterable<Map.Entry<KeyValue, Object>> getIterable() {
            return positions.entrySet();
        }

        @Override
        public long getCount() {
            return positions.size();
        }

        @Override
        public long getDataSize() {
            return getCount();
        }
    }

    /** The library ignores indexes that are not unique; this one finds by equality of the first key. */
    private static final class LeadingKeyIndex extends EmptyIndex<Object> {
        private final Map<Object, Set<Object>> positions = new HashMap<>();
        private final String leading;

        LeadingKeyIndex(String name, List<IndexKey> keys) {
            super(name, keys);
            leading = keys.get(0).getKey();
        }

        static boolean isPlain(Object value) {
            return value instanceof String || value instanceof Number || value instanceof ObjectId;
        }

        /** Numbers of any type that are equal share a bucket; the filter is applied again afterwards. */
        private static Object bucketOf(Object value) {
            return value instanceof Number number ? Double.valueOf(number.doubleValue() + 0.0) : value;
        }

        @Override
        public synchronized void add(Document document, Object position, MongoCollection<Object> collection) {
            for (KeyValue value : getKeyValues(document)) {
                positions.computeIfAbsent(bucketOf(value.get(0)), bucket -> new LinkedHashSet<>()).add(position);
            }
        }

        @Override
        public synchronized Object remove(Document document) {
            for (KeyValue value : getKeyValues(document)) {
                Set<Object> bucket = positions.get(bucketOf(value.get(0)));
                if (bucket != null && bucket.remove(document.get("_id")) && bucket.isEmpty()) {
                    positions.remove(bucketOf(value.get(0)));
                }
            }
            return null;
        }

        @Override
        public synchronized void updateInPlace(Document before, Document after, Object position, MongoCollection<Object> collection) {
            remove(before);
            add(after, position, collection);
        }

        @Override
        public boolean canHandle(Document query) {
            return isPlain(query.get(leading));
        }

        @Override
        public synchronized Iterable<Object> getPositions(Document query) {
            return new ArrayList<>(positions.getOrDefault(bucketOf(query.get(leading)), Set.of()));
        }
    }
}
