/** A Java host: the virtual machine handles SIGSEGV and stops threads by signals. */
public class Host {
    static native int run();

    static void must() {
        int step = run();
        if (step != 0) throw new IllegalStateException("step " + step);
    }

    /** The virtual machine turns the fault into an exception. */
    static boolean fault(String text) {
        try {
            return text.length() < 0;
        } catch (NullPointerException e) {
            return true;
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 10; j++) {
                    must();
                    if (!fault(null)) throw new IllegalStateException("no fault");
                    byte[][] garbage = new byte[64][];
                    for (int k = 0; k < garbage.length; k++) garbage[k] = new byte[1 << 16];
                }
            });
            threads[i].start();
        }
        for (Thread t : threads) t.join();
        System.gc();
        must();
        Thread endless = new Thread(() -> { while (true) run(); });
        endless.setDaemon(true);
        endless.start();
        System.out.println("ok");
    }
}
